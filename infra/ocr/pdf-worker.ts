import { registerHooks } from 'node:module';

/*
 * pdfjs limits pictures, but not operators and streams, and shows those only after it has processed all of them. So
 * this adds a few lines to its worker as it is loaded. If a line no longer has its place, for example after an update
 * of pdfjs, the reader does not start.
 */
const WORKER = '/pdfjs-dist/legacy/build/pdf.worker.mjs';
const LIMITS = new URL('pdf-limits.ts', import.meta.url).href;

/** The lines to add, each with the unique text that it follows. */
const ADDED: readonly { after: string; line: string }[] = [
  {
    after: 'const obj = this.parser.getObj();\n      if (obj instanceof Cmd) {\n        const cmd = obj.cmd;',
    line: 'countOperator();',
  },
  {
    after: 'constructor(stream, xref, stateManager = new StateManager()) {',
    line: 'countParsed(stream);',
  },
  {
    after: 'const content = await this.pdfManager.ensure(this, "content");',
    line: 'markContent(content);',
  },
  { after: 'prevRefs = null\n  }) {', line: 'markContent(stream);' },
  {
    after: 'prevRefs = null,\n    intersector = null\n  }) {',
    line: 'markContent(stream);',
  },
  { after: 'totalLength += chunk.byteLength;', line: 'countInflated(this, totalLength);' },
  {
    after: 'ensureBuffer(requested) {\n    const buffer = this.buffer;',
    line: 'countInflated(this, requested);',
  },
];

/** The source of pdfjs' worker with the limits added. @throws if it is not the version that they were written for. */
export function withLimits(source: string): string {
  const limited = ADDED.reduce((text, { after, line }) => {
    const parts = text.split(after);
    if (parts.length !== 2) throw new Error(`pdfjs has changed: its code no longer contains "${line}".`);
    return parts.join(`${after} ${line}`);
  }, source);
  return `import { countInflated, countOperator, countParsed, markContent } from ${JSON.stringify(LIMITS)};\n${limited}`;
}

/** Loads pdfjs' worker with its limits, for all PDFs that this process opens. @throws if they cannot be added. */
export async function loadLimitedWorker(): Promise<void> {
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(WORKER)) return loaded;
      const { source } = loaded;
      const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString();
      return { ...loaded, source: withLimits(text) };
    },
  });
  // pdfjs uses the worker that is already loaded.
  await import(import.meta.resolve('pdfjs-dist/legacy/build/pdf.worker.mjs'));
  hooks.deregister();
}
