import { reliabilityOf } from '../domain/credential.ts';
import { countPunctuality } from '../domain/reliability.ts';
import type { Threads } from '../infra/threads/index.ts';
import { task } from '../infra/threads/task.ts';

/* Judging a payment needs several slow conversions between time zones. So a worker thread judges many payments. */

interface CountRequest {
  payments: Parameters<typeof countPunctuality>[0];
  now: Date;
}

interface ReliabilityRequest {
  past: Parameters<typeof reliabilityOf>[0];
  asked: Parameters<typeof reliabilityOf>[1];
  now: Date;
}

const FEW = 100;

export async function countHistory(threads: Threads, request: CountRequest) {
  return request.payments.length <= FEW ? countOf(request) : threads.run(countTask, request);
}

export async function rateHistory(threads: Threads, request: ReliabilityRequest) {
  return request.past.length <= FEW ? rateOf(request) : threads.run(rateTask, request);
}

const countTask = task<typeof countOf>(import.meta.url, 'countOf');
const rateTask = task<typeof rateOf>(import.meta.url, 'rateOf');

export function countOf({ payments, now }: CountRequest) {
  return countPunctuality(payments, now);
}

export function rateOf({ past, asked, now }: ReliabilityRequest) {
  return reliabilityOf(past, asked, now);
}
