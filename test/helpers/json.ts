import fc from 'fast-check';

const unit = fc.oneof(
  fc.constantFrom('a', '"', '\\', '\0', '\u0007', '\u2028', 'é', '😀', '\ud83d', '\udc00'),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
);
const text = fc.string({ unit, maxLength: 20 });
const name = fc.oneof(text, fc.constantFrom('', '__proto__', 'constructor', 'toString', '0', 'length'));
const long = fc.integer({ min: 3_000, max: 5_000 }).map((length) => 'x'.repeat(length));
const many = fc.integer({ min: 900, max: 1_100 }).map((length) => `[${'0,'.repeat(length)}0]`);

const json = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'large', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', '-0', '1e300', '9007199254740993'),
    fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
    text.map((value) => JSON.stringify(value)),
    {
      weight: 1,
      arbitrary: fc.oneof(
        { weight: 20, arbitrary: fc.constant('0') },
        long.map((value) => `"${value}"`),
        many,
      ),
    },
    { weight: 3, arbitrary: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`) },
    { weight: 3, arbitrary: tie('object') },
  ),
  object: fc
    .uniqueArray(fc.tuple(name, tie('value')), { selector: ([key]) => key, maxLength: 4 })
    .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
}));

export const jsonObject = json.object;
