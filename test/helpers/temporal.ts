import { testEnvironment } from './environment.ts';

/** Returns the address of the run's Temporal server. The first call starts the server. */
export async function temporalAddress(): Promise<string> {
  const response = await fetch(`${testEnvironment().door}/temporal`);
  const answer = (await response.json()) as { address?: string; error?: string };
  if (answer.address === undefined) throw new Error(answer.error ?? 'Temporal did not start');
  return answer.address;
}
