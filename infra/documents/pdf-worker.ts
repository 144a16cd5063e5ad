import { registerHooks } from 'node:module';

/*
 * pdfjs reports operators and streams only after processing all of them. So this module adds limits to the worker's
 * source. If a line can no longer be added, for example after an update of pdfjs, the reader does not start.
 */
const WORKER = '/pdfjs-dist/legacy/build/pdf.worker.mjs';
const LIMITS = new URL('pdf-limits.ts', import.meta.url).href;

/** Each line goes after a text that occurs exactly once in the source. */
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

export function withLimits(source: string): string {
  const limited = ADDED.reduce((text, { after, line }) => {
    const parts = text.split(after);
    if (parts.length !== 2) throw new Error(`pdfjs has changed: its code no longer contains "${line}".`);
    return parts.join(`${after} ${line}`);
  }, source);
  return `import { countInflated, countOperator, countParsed, markContent } from ${JSON.stringify(LIMITS)};\n${limited}`;
}

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
  // pdfjs then uses this worker, which is already loaded.
  await import(import.meta.resolve('pdfjs-dist/legacy/build/pdf.worker.mjs'));
  hooks.deregister();
}
