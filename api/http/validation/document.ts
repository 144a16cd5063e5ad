import { resolve, type Contract, type Node, type Operation } from '../contract.ts';
import { variantsOf } from './variants.ts';

/*
 * Parts of the contract for express-openapi-validator. The validator tries paths in turn and compiles all schemas for
 * each path, so each module gets only its own part.
 */

export function validatedDocument(
  { document }: Contract,
  operations: readonly Operation[],
  { responses }: { responses: boolean },
): Node {
  const paths: Record<string, Record<string, Node>> = {};
  for (const operation of operations) {
    const node = validatedOperation(document, operation, responses);
    const item = (paths[operation.path] ??= {});
    item[operation.method.toLowerCase()] = node;
    // Without this entry, HEAD would be refused or not validated.
    if (operation.method === 'GET') item.head = node;
  }
  return { openapi: document.openapi, info: document.info, ...withReferences(document, paths) };
}

function validatedOperation(document: Node, { node, responses: declared }: Operation, responses: boolean): Node {
  const { operationId, parameters, requestBody } = node;
  const part = { operationId, parameters: (parameters as Node[]).map(lenient), responses: responses ? declared : {} };
  return requestBody === undefined ? part : { ...part, requestBody: validatedBody(document, requestBody) };
}

/** Allows reserved characters in query parameters (RFC 3986, 3.4). */
function lenient(parameter: Node): Node {
  return parameter.in === 'query' ? { ...parameter, allowReserved: true } : parameter;
}

/** Makes a missing body one of the reported faults. The validator itself would respond with 415. */
function validatedBody(document: Node, requestBody: unknown): Node {
  const content = Object.entries(resolve(document, requestBody).content as Readonly<Record<string, Node>>);
  const schemaOf = ({ schema }: Node) => byItsForm(document, schema as Node);
  return {
    required: false,
    content: Object.fromEntries(content.map(([type, media]) => [type, { schema: schemaOf(media) }])),
  };
}

/** If a body can have several variants, the validator reports only faults of the variant that the body names. */
function byItsForm(document: Node, schema: Node): Node {
  const variants = variantsOf(document, schema);
  if (variants === undefined) return schema;
  const { property, schemas, common } = variants;
  const named = (values: readonly string[]) => ({
    type: 'object',
    required: [property],
    properties: { [property]: { enum: values } },
  });
  const forms = [...schemas].map(([value, form]) => ({ if: named([value]), then: form }));
  return { allOf: [...forms, { if: named([...schemas.keys()]), else: common }] };
}

/** Leaves out discriminators, because they make the validator stop at one fault. */
function withReferences(document: Node, paths: Node): { paths: unknown; components: Node } {
  const all = document.components as Readonly<Record<string, Node>>;
  const components: Record<string, Record<string, unknown>> = {};
  const meet = (reference: string) => {
    const [, , kind = '', name = ''] = reference.split('/');
    const met = (components[kind] ??= {});
    if (Object.hasOwn(met, name)) return;
    // Before the copy, because a schema can refer to itself.
    met[name] = undefined;
    met[name] = copy(all[kind]?.[name]);
  };
  const copy = (value: unknown): unknown => {
    const text = JSON.stringify(value, (name, member: unknown) => {
      if (name === '$ref') meet(member as string);
      return name === 'discriminator' ? undefined : member;
    });
    return JSON.parse(text);
  };
  return { paths: copy(paths), components };
}
