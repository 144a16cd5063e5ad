// Writes `src/contract.ts`, the contract's types as a caller sees them. That file is not committed: type checks, lint
// and builds run this program first.
import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const bundle = new URL('../openapi/bundle.json', import.meta.url);
// A caller may omit a field that has a default. In the service's own types (openapi/types.ts) it is always present.
const types = await openapiTS(bundle, { defaultNonNullable: false });
const head = '// Made from the contract by client/contract-types.js.\n';
writeFileSync(new URL('src/contract.ts', import.meta.url), `${head}\n${astToString(types)}`);
