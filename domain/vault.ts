export {
  dataFaults,
  fieldsOf,
  maskedData,
  PII_FIELDS,
  PII_TYPES,
  piiTypeOf,
  storedData,
  type FieldKind,
} from './vault/fields.ts';
export { accountNumberForm, codeForm, digitsForm, phoneForm, storedForm } from './vault/forms.ts';
export * from './vault/masks.ts';
export { metadataFaults } from './vault/metadata.ts';
export { vaultRefOf, type PiiData, type PiiMetadata, type PiiType, type PiiTypes } from './vault/types.ts';
