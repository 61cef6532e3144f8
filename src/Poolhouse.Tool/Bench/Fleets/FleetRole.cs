using System.Globalization;
using System.Text.RegularExpressions;
using Npgsql;
using Poolhouse.Testing;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Bench.Fleets;

/// <summary>A role of a PostgreSQL server, whose sessions are limited; removed with its sessions at the end.</summary>
internal sealed partial class FleetRole : IAsyncDisposable
{
    private readonly PostgresDatabase _database;
    private readonly string _password;

    private FleetRole(PostgresDatabase database, string name, string password) =>
        (_database, Name, _password) = (database, name, password);

    public string Name { get; }

    /// <summary>For a session that sees those of the role.</summary>
    public string ObserverString => _database.ConnectionStringFor("poolhouse judge") + ";Pooling=false;Timeout=2";

    /// <exception cref="PostgresException">The user may not create roles.</exception>
    public static async Task<FleetRole> CreateAsync(PostgresDatabase database, int places, CancellationToken cancellation)
    {
        var name = $"poolhouse_fleet_{Guid.NewGuid():N}"[..24];
        var role = new FleetRole(database, name, ServerPassword.Create());
        await role.RunAsync(
            string.Create(
                CultureInfo.InvariantCulture, $"CREATE ROLE {name} LOGIN PASSWORD '{role._password}' CONNECTION LIMIT {places}"),
            cancellation).ConfigureAwait(false);
        if (database.Server is not null)
        {
            await role.RunAsync("ALTER SYSTEM SET log_connections = on", cancellation).ConfigureAwait(false);
            await role.RunAsync("SELECT pg_reload_conf()", cancellation).ConfigureAwait(false);
        }

        return role;
    }

    /// <summary>Lets the server log each statement of the role, with the time that it took.</summary>
    public Task LogStatementsAsync(CancellationToken cancellation) =>
        RunAsync($"ALTER ROLE {Name} SET log_min_duration_statement = 0", cancellation);

    /// <summary>The connection string of sessions with a name.</summary>
    /// <param name="application">The name.</param>
    /// <param name="through">The way to the server; null: directly.</param>
    public string StringFor(string application, FaultProxy? through = null)
    {
        var settings = new NpgsqlConnectionStringBuilder(_database.ConnectionStringFor(application))
        {
            Username = Name,
            Password = _password,
            MaxPoolSize = FleetPlan.Callers,
        };
        if (through is not null)
        {
            (settings.Host, settings.Port) = (through.Host, through.Port);
        }

        return settings.ConnectionString;
    }

    /// <summary>A proxy in front of the server.</summary>
    public FaultProxy StartProxy()
    {
        var settings = new NpgsqlConnectionStringBuilder(_database.ConnectionStringFor(""));
        return FaultProxy.Start(settings.Host ?? "localhost", settings.Port);
    }

    /// <summary>How many sessions were requested, and refused because there was no place; null if that is unknown.</summary>
    public (int Opened, int Refused)? CountOpens() => _database.Server is { } server && server.ReadLog() is var log
        ? (Count(log, $"connection authorized: user={Name} "), Count(log, $"too many connections for role \"{Name}\""))
        : null;

    /// <summary>The logged statements of all roles from a position in the log on, and what they took in all.</summary>
    /// <param name="start">The position.</param>
    /// <param name="text">Those that are counted begin so; all take time.</param>
    public (int Count, double Seconds) ReadStatements(int start, string text)
    {
        var log = _database.Server!.ReadLog()[start..];
        var (count, milliseconds) = (0, 0.0);
        foreach (Match match in LoggedStatement().Matches(log))
        {
            milliseconds += double.Parse(match.Groups["time"].ValueSpan, CultureInfo.InvariantCulture);
            count += match.Groups["text"].Value.StartsWith(text, StringComparison.Ordinal)
                && match.Groups["step"].ValueSpan is "execute" or "statement" ? 1 : 0;
        }

        return (count, milliseconds / 1000);
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            await RunAsync(
                $"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{Name}'; DROP ROLE {Name}",
                CancellationToken.None).ConfigureAwait(false);
        }
        catch (NpgsqlException)
        {
            // The server is down. One that was started for this run is removed with all its roles.
        }
    }

    private static int Count(string log, string text) => log.Split(text).Length - 1;

    private async Task RunAsync(string statement, CancellationToken cancellation)
    {
        var source = _database.OpenWithoutPool("poolhouse");
        await using var _ = source.ConfigureAwait(false);
#pragma warning disable CA2100 // Name and password are generated.
        var command = source.CreateCommand(statement);
#pragma warning restore CA2100
        await using var __ = command.ConfigureAwait(false);
        await command.ExecuteNonQueryAsync(cancellation).ConfigureAwait(false);
    }

    [GeneratedRegex(
        @"duration: (?<time>[0-9.]+) ms  (?<step>parse|bind|execute|statement)[^:]*: (?<text>.*)", RegexOptions.ExplicitCapture,
        matchTimeoutMilliseconds: 10_000)]
    private static partial Regex LoggedStatement();
}
