import { Migration } from '@mikro-orm/migrations';

/**
 * Which application a document counts for, when it really came (`uploaded_at` is business time), and when its turn to be read was. Null for
 * documents of before, which count for nobody's day.
 */
export class Migration20261125090000_document_turns extends Migration {
  override up(): void {
    this.addSql(`
      alter table documents
        add column app_id text null,
        add column received_at timestamptz(3) null,
        add column claimed_at timestamptz(3) null`);
    // A version that does not know the column counts, too.
    this.addSql('alter table documents alter column received_at set default now()');
  }
}
