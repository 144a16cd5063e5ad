import { missingPrograms } from '../helpers/required-programs.ts';

test('a machine without Poppler, Chromium and Python gets one sentence with the command that installs them', () => {
  const sentence = missingPrograms('/no/such/folder')!;
  expect(sentence).toMatch(
    /^The tests need Chromium, Poppler and Python 3: [^\n]+apt-get install chromium poppler-utils/,
  );
  expect(sentence).not.toMatch(/\.\s/);
});

test('this machine has all programs that the tests need', () => {
  expect(missingPrograms()).toBeUndefined();
});
