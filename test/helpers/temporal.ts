import { testEnvironment } from './environment.ts';

/** The first call in a run starts the server. */
export async function temporalAddress(): Promise<string> {
  const response = await fetch(`${testEnvironment().door}/temporal`);
  const answer = (await response.json()) as { address?: string; error?: string };
  if (answer.address === undefined) throw new Error(answer.error ?? 'Temporal did not start');
  return answer.address;
}
