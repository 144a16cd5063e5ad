// Writes the contract's types as a caller sees them. `src/contract.ts` is not committed: type checks, lint and builds
// run this program first.
import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const bundle = new URL('../openapi/bundle.json', import.meta.url);
// A caller may omit a field that has a default. The service's own types (openapi/types.ts) always have the field.
const types = await openapiTS(bundle, { defaultNonNullable: false });
const head = '// Made from the contract by client/contract-types.js.\n';
writeFileSync(new URL('src/contract.ts', import.meta.url), `${head}\n${astToString(types)}`);
