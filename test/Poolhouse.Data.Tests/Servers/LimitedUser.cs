using MySqlConnector;
using Npgsql;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Servers;

/// <summary>A user without privileges, whom the server gives few sessions.</summary>
internal static class LimitedUser
{
    /// <summary>Creates one.</summary>
    /// <param name="server">A server of the test's own.</param>
    /// <param name="sessions">How many sessions the user may have.</param>
    /// <param name="name">The user's name; by default a new one.</param>
    /// <returns>The user's connection string.</returns>
    public static async Task<string> CreateAsync(TemporaryPostgres server, int sessions, string? name = null)
    {
        var (user, password) = (name ?? NewName(), ServerPassword.Create());
        await Administrator.RunAsync(
            NpgsqlFactory.Instance, server.ConnectionString + ";Pooling=false",
            $"CREATE USER {user} PASSWORD '{password}' CONNECTION LIMIT {sessions}");
        return new NpgsqlConnectionStringBuilder(server.ConnectionString)
        {
            Username = user,
            Password = password,
        }.ConnectionString;
    }

    /// <inheritdoc cref="CreateAsync(TemporaryPostgres, int, string?)"/>
    /// <remarks>With 0 sessions, the server's own limit counts.</remarks>
    public static async Task<string> CreateAsync(TemporaryMariaDb server, int sessions, string? name = null)
    {
        var (user, password) = (name ?? NewName(), ServerPassword.Create());
        await Administrator.RunAsync(
            MySqlConnectorFactory.Instance, server.ConnectionString,
            $"CREATE USER {user}@'127.0.0.1' IDENTIFIED BY '{password}' WITH MAX_USER_CONNECTIONS {sessions}");
        return new MySqlConnectionStringBuilder(server.ConnectionString)
        {
            UserID = user,
            Password = password,
            Pooling = true,
        }.ConnectionString;
    }

    private static string NewName() => $"limited{Guid.NewGuid():N}"[..20];
}
