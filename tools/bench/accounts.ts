export const PASSWORD = 'a long enough passphrase';

export function emailOf(number: number): string {
  return `bench-${number}@example.test`;
}
