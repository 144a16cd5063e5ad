import type { Client } from '@temporalio/client';
import PDFDocument from 'pdfkit';
import type { DocumentReader } from '../../infra/documents/index.ts';
import type { DocumentToRead } from '../../infra/documents/messages.ts';
import { doubtsOf } from '../../domain/documents.ts';
import type { Extraction, Reading, ReadOutcome } from '../../domain/legacy/reading.ts';
import { pence } from '../../domain/money.ts';
import type { Services } from '../../infra/services.ts';
import { bundleWorkflows } from '../../infra/temporal/bundle.ts';
import { startRelay } from '../../infra/temporal/relay.ts';
import { createWorker } from '../../programs/worker.ts';
import { installTestRuntime } from './temporal-log.ts';
import { openNamespace } from './temporal.ts';

export interface ReadingDocuments {
  client: Client;
  stop(): Promise<void>;
}

export async function startReadingDocuments(services: Services): Promise<ReadingDocuments> {
  installTestRuntime();
  const [{ client, connection }, workflowBundle] = await Promise.all([openNamespace(services), bundleWorkflows()]);
  const worker = await createWorker('documents', services, connection, workflowBundle);
  const running = worker.run();
  const relay = startRelay(services, client);
  return {
    client,
    async stop() {
      worker.shutdown();
      await running;
      await relay.stop();
      await Promise.all([connection.close(), client.connection.close()]);
    },
  };
}

interface ScriptedReader extends DocumentReader {
  /** Decides the outcome for each document. Tests replace this function. */
  answer: (document: DocumentToRead) => Promise<ReadOutcome>;
  readonly seen: Buffer[];
}

export function scriptedReader(answer: ScriptedReader['answer'] = async () => read()): ScriptedReader {
  const seen: Buffer[] = [];
  return {
    answer,
    seen,
    pid: undefined,
    async read(document) {
      seen.push(Buffer.from(document.bytes));
      return this.answer(document);
    },
    async close() {},
  };
}

/** The reading of a payslip of £3,000 with all fields, and with the changes in `more`. */
export function readingOf(more: Partial<Reading> = {}): Reading {
  const { review_reasons, ...found } = more;
  const field = <T>(value: T) => ({ value, confidence: 0.99, page: 1 });
  const reading: Extraction = {
    document_type: 'payslip',
    employer_name: field('Thistledown Bakery Ltd'),
    pay_period: field('November 2026'),
    gross_pay: field(pence(300_000)),
    net_pay: field(pence(236_364)),
    tax_deducted: field(pence(33_020)),
    ni_deducted: field(pence(15_616)),
    pension_deducted: field(pence(15_000)),
    pay_date: field('2026-11-20'),
    tax_year: field('2026-27'),
    tax_code: field('1257L'),
    paye_reference: field('123/AB456'),
    ni_number: field('AB123456C'),
    checks: [{ name: 'net-is-gross-less-deductions', holds: true }],
    confidence: 0.99,
    ...found,
  };
  return { ...reading, review_reasons: review_reasons ?? doubtsOf(reading) };
}

export function read(more: Partial<Reading> = {}): ReadOutcome {
  return { kind: 'read', reading: readingOf(more), pages_read: 1, by: 'text' };
}

let made = 0;

/** Each call makes different bytes. */
export function pdfOf(lines: readonly string[] = ['Payslip']): Promise<Buffer> {
  return new Promise((resolve) => {
    const document = new PDFDocument({
      size: 'A4',
      info: { Title: `Test ${(made += 1)} ${process.pid} ${Date.now()}` },
    });
    const chunks: Buffer[] = [];
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.fontSize(10);
    lines.forEach((line, index) => document.text(line, 50, 50 + index * 18, { lineBreak: false }));
    document.end();
  });
}

export async function formOf(
  parts: readonly (readonly [name: string, value: string | Uint8Array, filename?: string, type?: string])[],
): Promise<{ body: Buffer; headers: { 'content-type': string } }> {
  const form = new FormData();
  for (const [name, value, filename = 'scan.pdf', type = 'application/octet-stream'] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)], { type }), filename);
  }
  const encoded = new Response(form);
  const body = Buffer.from(await encoded.arrayBuffer());
  return { body, headers: { 'content-type': encoded.headers.get('content-type')! } };
}
