/** The page's OAuth client is registered with these scopes. */
export const SCOPES =
  'read:profile write:paycheck write:allocations write:payments write:documents write:debt write:credential write:bank read:affordability';
