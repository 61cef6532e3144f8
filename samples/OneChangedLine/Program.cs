using Npgsql;
using Poolhouse.Data;

// A program on NpgsqlDataSource, moved to Poolhouse. Only the line that creates the data source has changed.
if (args is not [var connectionString])
{
    Console.WriteLine("Give the connection string of a PostgreSQL server as the argument.");
    return;
}

// snippet: one-changed-line
// await using var source = NpgsqlDataSource.Create(connectionString);
await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString);
// end snippet

await using (var command = source.CreateCommand("CREATE TABLE IF NOT EXISTS visits (at timestamptz NOT NULL DEFAULT now())"))
{
    await command.ExecuteNonQueryAsync();
}

var workers = Enumerable.Range(0, 20).Select(async _ =>
{
    await using var connection = await source.OpenConnectionAsync();
    await using var transaction = await connection.BeginTransactionAsync();
    await using var command = connection.CreateCommand();
    command.Transaction = transaction;
    command.CommandText = "INSERT INTO visits DEFAULT VALUES";
    await command.ExecuteNonQueryAsync();
    await transaction.CommitAsync();
});
await Task.WhenAll(workers);

await using (var command = source.CreateCommand("SELECT count(*) FROM visits"))
{
    Console.WriteLine($"{await command.ExecuteScalarAsync()} visits.");
}

await using (var command = source.CreateCommand("DROP TABLE visits"))
{
    await command.ExecuteNonQueryAsync();
}
