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
#pragma warning disable CA2100 // Names and passwords are generated.
        command.CommandText = statement;
#pragma warning restore CA2100
        await command.ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
    }
}
