export { payment } from './payments.ts';
