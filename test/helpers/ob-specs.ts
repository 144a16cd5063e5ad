import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

type Node = Readonly<Record<string, unknown>>;

/** Judges traffic by the official files in the folder that OB_SPECS names. Undefined without them. */
export function obSpecs(folder = process.env.OB_SPECS) {
  if (folder === undefined) return undefined;
  const documents = ['account-info', 'vrp', 'events'].map((name) => {
    const text = readFileSync(join(folder, `${name}-openapi.json`), 'utf8');
    // Where the library looks for them.
    return JSON.parse(text.replaceAll('#/components/schemas/', '#/definitions/')) as Node;
  });
  const compiled = new Map<unknown, z.ZodType>();

  function at(document: Node, ...path: readonly string[]): Node | undefined {
    let node: unknown = document;
    for (const part of path) node = (node as Node | undefined)?.[part];
    const { $ref } = (node ?? {}) as { $ref?: string };
    return $ref === undefined ? (node as Node | undefined) : at(document, ...$ref.split('/').slice(1));
  }

  function schemaIn(document: Node, message: Node): z.ZodType | undefined {
    const [media] = Object.values((message['content'] ?? {}) as Record<string, { schema: Node }>);
    if (media === undefined) return undefined;
    const known = compiled.get(media.schema);
    if (known !== undefined) return known;
    const definitions = at(document, 'components', 'schemas') as Record<string, z.core.JSONSchema.JSONSchema>;
    const made = z.fromJSONSchema({ ...media.schema, definitions }, { defaultTarget: 'openapi-3.0' });
    compiled.set(media.schema, made);
    return made;
  }

  /** Returns what is wrong with a body. `part` is `requestBody`, or `responses` and the status. */
  return (method: string, path: string, part: readonly string[], body: unknown): string[] => {
    const of = `${method} ${path} ${part.join(' ')}`;
    for (const document of documents) {
      const template = Object.keys(document['paths'] as object).find((known) =>
        new RegExp(`^${known.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
      );
      if (template === undefined) continue;
      const message = at(document, 'paths', template, method.toLowerCase(), ...part);
      if (message === undefined) return [`${of}: not in the standard`];
      const schema = schemaIn(document, message);
      if (schema === undefined) return body === '' ? [] : [`${of}: no body is expected`];
      const { error } = schema.safeParse(body);
      return error === undefined ? [] : [`${of}: ${z.prettifyError(error)}`];
    }
    return [`${of}: not in the standard`];
  };
}
