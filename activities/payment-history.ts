import { reliabilityOf } from '../domain/credential.ts';
import { countPunctuality } from '../domain/reliability.ts';
import type { Threads } from '../infra/threads/index.ts';
import { task } from '../infra/threads/task.ts';

/* Judging a payment needs several slow conversions between time zones. So a worker thread judges many payments. */

const FEW = 100;

const countTask = task<typeof countPunctuality>(inDomain('reliability.ts'), 'countPunctuality');
const rateTask = task<typeof reliabilityOf>(inDomain('credential.ts'), 'reliabilityOf');

export async function countHistory(threads: Threads, request: Parameters<typeof countPunctuality>[0]) {
  return request.payments.length <= FEW ? countPunctuality(request) : threads.run(countTask, request);
}

export async function rateHistory(threads: Threads, request: Parameters<typeof reliabilityOf>[0]) {
  return request.past.length <= FEW ? reliabilityOf(request) : threads.run(rateTask, request);
}

function inDomain(file: string): string {
  return new URL(`../domain/${file}`, import.meta.url).href;
}
