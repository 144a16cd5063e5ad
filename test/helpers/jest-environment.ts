import * as validator from 'express-openapi-validator';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest loads modules again for each test file, which is slow. Node loads this file once per process, and with it
 * express-openapi-validator, which uses none of our classes. Its errors are no instances of the `Error` of a test file.
 */
export default class SharingEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    this.global.validator = validator;
  }
}
