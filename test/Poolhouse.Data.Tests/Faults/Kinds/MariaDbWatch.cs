using System.Globalization;
using MySqlConnector;

namespace Poolhouse.Data.Tests.Faults.Kinds;

/// <summary>Lists and ends the sessions of a MariaDB server, on separate connections.</summary>
internal sealed class MariaDbWatch(string connectionString) : ISessionWatch
{
    private readonly MySqlDataSource _source = new(connectionString);

    public async ValueTask<long> CountAsync(string sessionName) => (await ReadAsync(sessionName)).Count;

    public async ValueTask<IReadOnlyList<string>> ListAsync(string sessionName) =>
        [.. (await ReadAsync(sessionName)).Select(
            session => string.Create(
                CultureInfo.InvariantCulture, $"{session.Id} {session.Command} {session.State} {session.Info}"))];

    public async ValueTask<long> CountBusyAsync(string sessionName) =>
        (await ReadAsync(sessionName)).Count(session => string.Equals(session.Command, "Query", StringComparison.Ordinal));

    public async Task<long> TerminateAsync(string sessionName, int atMost = int.MaxValue)
    {
        var ended =
            (await ReadAsync(sessionName)).Select(session => session.Id).OrderBy(_ => Random.Shared.Next()).Take(atMost).ToList();
        var found = 0;
        foreach (var id in ended)
        {
            found += await TryKillAsync(id) ? 1 : 0;
        }

        await Patience.UntilAsync(
            () => ReadAsync(sessionName), sessions => !sessions.Exists(session => ended.Contains(session.Id)),
            "the killed sessions are gone");
        return found;
    }

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    private async Task<bool> TryKillAsync(long id)
    {
        try
        {
            await using var command = _source.CreateCommand(string.Create(CultureInfo.InvariantCulture, $"KILL {id}"));
            await command.ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
            return true;
        }
        catch (MySqlException gone) when (gone.ErrorCode == MySqlErrorCode.NoSuchThread)
        {
            return false;
        }
    }

    private async ValueTask<List<(long Id, string Command, string State, string Info)>> ReadAsync(string sessionName)
    {
        await using var command = _source.CreateCommand(
            "SELECT ID, COMMAND, COALESCE(STATE, ''), COALESCE(INFO, '') FROM information_schema.PROCESSLIST " +
            "WHERE DB = @name");
        command.Parameters.Add(new MySqlParameter("@name", sessionName));
        await using var reader = await command.ExecuteReaderAsync(TestContext.Current.CancellationToken);
        var sessions = new List<(long, string, string, string)>();
        while (await reader.ReadAsync(TestContext.Current.CancellationToken))
        {
            sessions.Add((reader.GetInt64(0), reader.GetString(1), reader.GetString(2), reader.GetString(3)));
        }

        return sessions;
    }
}
