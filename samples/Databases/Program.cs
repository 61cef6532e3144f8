using Poolhouse.Samples.Databases;

// Lessons on SQLite, in a file that is deleted again; with a connection string as the argument also those that need PostgreSQL.
var folder = Directory.CreateTempSubdirectory("poolhouse-sample-");
try
{
    await SqliteLessons.RunAsync($"Data Source={Path.Combine(folder.FullName, "shop.db")}");
    await OwnProvider.UseAsync(
        Microsoft.Data.Sqlite.SqliteFactory.Instance, $"Data Source={Path.Combine(folder.FullName, "own.db")}");
    if (args is [var postgres])
    {
        await PostgresLessons.RunAsync(postgres);
    }
    else
    {
        Console.WriteLine("The lessons on PostgreSQL need a connection string as the argument.");
    }
}
finally
{
    folder.Delete(recursive: true);
}
