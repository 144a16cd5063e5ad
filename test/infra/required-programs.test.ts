import { missingPrograms } from '../helpers/required-programs.ts';

test('npm run test:slow says in one sentence what the machine lacks, and how to get it', () => {
  const sentence = missingPrograms('/no/such/folder', false)!;
  expect(sentence).toMatch(
    /^npm run test:slow needs Chromium, Poppler, [^\n]+ and root: [^\n]+apt-get install chromium poppler-utils /,
  );
  expect(sentence).toContain('run the same command as root');
  expect(sentence).not.toMatch(/\.\s/);
});
