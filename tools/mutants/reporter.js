import { writeFileSync } from 'node:fs';

/** Jest's own `--json` fails if a failed test compared values that JSON does not have. */
export default class Reporter {
  onRunComplete(_contexts, { testResults }) {
    const tests = testResults.flatMap((result) => result.testResults);
    const failed = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    const broken = testResults.find(({ testExecError }) => testExecError)?.testExecError.message;
    writeFileSync('report.json', JSON.stringify({ failed, broken }));
  }
}
