using System.Data.Common;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>What the administrator of a server does on a connection of its own.</summary>
internal static class Administrator
{
    public static async Task RunAsync(DbProviderFactory factory, string connectionString, string statement)
    {
        await using var connection = factory.CreateConnection()!;
        connection.ConnectionString = connectionString;
        await connection.OpenAsync(TestContext.Current.CancellationToken);
        await using var command = connection.CreateCommand();
        command.CommandText = statement;
        await command.ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
    }
}
