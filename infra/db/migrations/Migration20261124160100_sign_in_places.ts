import { Migration } from '@mikro-orm/migrations';

/** Networks and browsers from which people signed in, as keyed hashes. */
export class Migration20261124160100_sign_in_places extends Migration {
  override up(): void {
    this.addSql(`
      create table sign_in_places (
        user_id text not null,
        place text not null,
        seen_at timestamptz(3) not null,
        primary key (user_id, place))`);
    this.addSql('create index sign_in_places_seen_at on sign_in_places (seen_at)');
  }
}
