import { Migration } from '@mikro-orm/migrations';

export class Migration20261125170000_failed_payments extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists payments_failed');
    this.addSql(`create index concurrently payments_failed on payments (updated_at) where status = 'failed'`);
  }
}
