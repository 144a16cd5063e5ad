import { Migration } from '@mikro-orm/migrations';

/**
 * The application that a document counts for, when it really arrived (`uploaded_at` is business time), and when it had
 * its turn. Null for earlier documents, which count towards no limit.
 */
export class Migration20261125090000_document_turns extends Migration {
  override up(): void {
    this.addSql(`
      alter table documents
        add column app_id text null,
        add column received_at timestamptz(3) null,
        add column claimed_at timestamptz(3) null`);
    // Documents stored by a version that does not know the column count too.
    this.addSql('alter table documents alter column received_at set default now()');
  }
}
