/** The scopes that the page requests. Its OAuth client is registered with the same scopes. */
export const SCOPES =
  'read:profile write:paycheck read:allocations write:payments write:documents write:debt write:credential';
