using Npgsql;

namespace Poolhouse.Data.Tests.Faults.Kinds;

/// <summary>Lists and ends the sessions of a PostgreSQL server, on separate connections.</summary>
internal sealed class ServerWatch(string connectionString) : ISessionWatch
{
    private readonly NpgsqlDataSource _source =
        NpgsqlDataSource.Create(connectionString + ";Pooling=false;Application Name=watch;Timeout=30;Command Timeout=30");

    /// <summary>The number of sessions of this application_name.</summary>
    public async ValueTask<long> CountAsync(string sessionName)
    {
        await using var command = _source.CreateCommand("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1");
        command.Parameters.Add(new NpgsqlParameter { Value = sessionName });
        return (long)(await command.ExecuteScalarAsync(TestContext.Current.CancellationToken))!;
    }

    /// <summary>The activity and the start time of each of them.</summary>
    public async ValueTask<IReadOnlyList<string>> ListAsync(string sessionName)
    {
        await using var command = _source.CreateCommand(
            "SELECT concat_ws(' ', pid, state, 'for', now() - state_change, 'since', backend_start::time, query) " +
            "FROM pg_stat_activity WHERE application_name = $1");
        command.Parameters.Add(new NpgsqlParameter { Value = sessionName });
        await using var reader = await command.ExecuteReaderAsync(TestContext.Current.CancellationToken);
        var sessions = new List<string>();
        while (await reader.ReadAsync(TestContext.Current.CancellationToken))
        {
            sessions.Add(reader.GetString(0));
        }

        return sessions;
    }

    /// <summary>The number of them that execute a statement now.</summary>
    public async ValueTask<long> CountBusyAsync(string sessionName)
    {
        await using var command =
            _source.CreateCommand("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND state = 'active'");
        command.Parameters.Add(new NpgsqlParameter { Value = sessionName });
        return (long)(await command.ExecuteScalarAsync(TestContext.Current.CancellationToken))!;
    }

    /// <summary>Ends up to the given number of them, and waits until they are gone.</summary>
    public async Task<long> TerminateAsync(string sessionName, int atMost = int.MaxValue)
    {
        await using var command = _source.CreateCommand(
            "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 10000)) FROM " +
            "(SELECT pid FROM pg_stat_activity WHERE application_name = $1 ORDER BY random() LIMIT $2) AS chosen");
        command.Parameters.Add(new NpgsqlParameter { Value = sessionName });
        command.Parameters.Add(new NpgsqlParameter { Value = (long)atMost });
        return (long)(await command.ExecuteScalarAsync(TestContext.Current.CancellationToken))!;
    }

    public async Task ExecuteAsync(string sql)
    {
        await using var command = _source.CreateCommand(sql);
        await command.ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
    }

    public ValueTask DisposeAsync() => _source.DisposeAsync();
}
