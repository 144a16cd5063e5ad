import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import * as z from 'zod';
import type { Config } from '../config/index.ts';

const movements = z.object({
  items: z.array(
    z.object({ payment_id: z.string(), amount: z.int(), direction: z.enum(['out', 'returned']), at: z.string() }),
  ),
});

export type SandboxMovement = z.output<typeof movements>['items'][number];

/** Which money the sandbox bank moved. No real bank offers this. */
export async function readSandboxMovements({ url, tls }: Config['bank']): Promise<SandboxMovement[]> {
  const dispatcher = new Agent({ connect: { ca: await readFile(tls.ca) } });
  try {
    const { statusCode, body } = await request(`${url}/sandbox/movements`, { dispatcher });
    if (statusCode !== 200) throw new Error(`the sandbox bank responded with ${statusCode}`);
    return movements.parse(await body.json()).items;
  } finally {
    await dispatcher.close();
  }
}
