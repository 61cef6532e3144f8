// package: Npgsql.EntityFrameworkCore.PostgreSQL
// not trimmed: EF Core does not support it
using Microsoft.EntityFrameworkCore;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore;

await using var pool = new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, "Host=127.0.0.1;Port=1;Username=nobody");
var options = new DbContextOptionsBuilder<Notes>().UseNpgsql("Host=127.0.0.1;Port=1;Username=nobody;Pooling=false")
    .UsePoolhouse(pool).Options;
await using var notes = new Notes(options);
Console.WriteLine(await notes.Database.CanConnectAsync() ? "not OK" : "OK Poolhouse.EntityFrameworkCore");

internal sealed class Notes(DbContextOptions<Notes> options) : DbContext(options);
