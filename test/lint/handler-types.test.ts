import { typeFaultsOf } from '../helpers/compiled.ts';

test('the compiler names the member of a response body that is missing or of a wrong type', () => {
  const faults = typeFaultsOf(
    'api/planted.ts',
    `
    import type { Handler } from './http/handlers.ts';
    const body = { user_id: 'usr_1', safe_to_spend: 1, buffer: 1, in_flight: 1 };
    export const missing: Handler<'listVaults'> = async () => ({ status: 200, body });
    export const wrong: Handler<'listVaults'> = async () => ({ status: 200, body: { ...body, buffer: '1', vaults: [] } });
    export const right: Handler<'listVaults'> = async () => ({ status: 200, body: { ...body, vaults: [] } });
  `,
  );
  const errors = faults.map(({ message }) => message).join('\n');
  const last = errors.split('\n').filter((line) => /missing|not assignable to type 'number'/.test(line));
  expect(last).toEqual([
    expect.stringMatching(/^ *Property 'vaults' is missing in type/),
    expect.stringMatching(/^ *Type 'string' is not assignable to type 'number'/),
  ]);
  expect(errors).toContain("Types of property 'buffer' are incompatible");
});
