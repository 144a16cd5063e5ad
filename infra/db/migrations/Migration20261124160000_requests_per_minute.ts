import { Migration } from '@mikro-orm/migrations';

/** A key's limit of requests per minute; null for the deployment's limit. */
export class Migration20261124160000_requests_per_minute extends Migration {
  override up(): void {
    this.addSql('alter table api_keys add column per_minute int');
  }
}
