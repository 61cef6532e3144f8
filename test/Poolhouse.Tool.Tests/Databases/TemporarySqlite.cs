using Microsoft.Data.Sqlite;

namespace Poolhouse.Tool.Tests.Databases;

/// <summary>A file with a table of three numbers, as a user might have it.</summary>
internal sealed class TemporarySqlite : IDisposable
{
    private readonly TemporaryFolder _folder = TemporaryFolder.InMemory();

    public TemporarySqlite()
    {
        using var connection = Open();
        using var command = connection.CreateCommand();
        command.CommandText = "CREATE TABLE number (n INTEGER); INSERT INTO number VALUES (1), (2), (3)";
        command.ExecuteNonQuery();
    }

    public string File => _folder.At("mine.db");

    public string ConnectionString => $"Data Source={File}";

    public long CountRows()
    {
        using var connection = Open();
        using var command = connection.CreateCommand();
        command.CommandText = "SELECT count(*) FROM number";
        return (long)command.ExecuteScalar()!;
    }

    public void Dispose() => _folder.Dispose();

    private SqliteConnection Open()
    {
        var connection = new SqliteConnection($"{ConnectionString};Pooling=False");
        connection.Open();
        return connection;
    }
}
