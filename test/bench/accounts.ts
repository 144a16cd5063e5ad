/** With what the accounts of the bench are made and signed in to. */
export const PASSWORD = 'a long enough passphrase';

export function emailOf(number: number): string {
  return `bench-${number}@example.test`;
}
