using System.Data.Common;
using System.Net.Sockets;
using Npgsql;

namespace Poolhouse.Tool.Bench.Fleets;

/// <summary>Counts the sessions of a role at the server, 25 times a second, with another account.</summary>
internal sealed class FleetJudge : IAsyncDisposable
{
    private static readonly TimeSpan _interval = TimeSpan.FromMilliseconds(40);

    private readonly string _connectionString;
    private readonly string _role;
    private readonly Func<double> _now;
    private readonly CancellationTokenSource _end = new();
    private readonly List<FleetSample> _samples = [];
    private readonly Task _watching;

    public FleetJudge(FleetRole role, Func<double> now)
    {
        (_connectionString, _role, _now) = (role.ObserverString, role.Name, now);
        _watching = Task.Run(WatchAsync);
    }

    public async Task<IReadOnlyList<FleetSample>> EndAsync()
    {
        await _end.CancelAsync().ConfigureAwait(false);
        await _watching.ConfigureAwait(false);
        return _samples;
    }

    public async ValueTask DisposeAsync()
    {
        await EndAsync().ConfigureAwait(false);
        _end.Dispose();
    }

    private async Task WatchAsync()
    {
        using var timer = new PeriodicTimer(_interval);
        while (!_end.IsCancellationRequested)
        {
            try
            {
                await WatchAsync(timer).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                // The end.
            }
            catch (Exception exception) when (exception is DbException or SocketException or IOException or TimeoutException)
            {
                // The server is being restarted.
                await Task.Delay(_interval, CancellationToken.None).ConfigureAwait(false);
            }
        }
    }

    private async Task WatchAsync(PeriodicTimer timer)
    {
        var source = NpgsqlDataSource.Create(_connectionString);
        await using var _ = source.ConfigureAwait(false);
        var connection = await source.OpenConnectionAsync(_end.Token).ConfigureAwait(false);
        await using var __ = connection.ConfigureAwait(false);
        var command = connection.CreateCommand();
        await using var ___ = command.ConfigureAwait(false);
        command.CommandText = "SELECT application_name, count(*)::int FROM pg_stat_activity WHERE usename = $1 GROUP BY 1";
        command.Parameters.Add(new NpgsqlParameter { Value = _role });
        while (true)
        {
            _samples.Add(await SampleAsync(command).ConfigureAwait(false));
            await timer.WaitForNextTickAsync(_end.Token).ConfigureAwait(false);
        }
    }

    // The names of pooled sessions begin with that of their process.
    private async Task<FleetSample> SampleAsync(NpgsqlCommand command)
    {
        var members = new Dictionary<string, int>(StringComparer.Ordinal);
        var total = 0;
        var reader = await command.ExecuteReaderAsync(_end.Token).ConfigureAwait(false);
        await using var _ = reader.ConfigureAwait(false);
        while (await reader.ReadAsync(_end.Token).ConfigureAwait(false))
        {
            var (member, sessions) = (reader.GetString(0).Split(' ')[0], reader.GetInt32(1));
            total += sessions;
            members[member] = members.GetValueOrDefault(member) + sessions;
        }

        return new FleetSample(_now(), total, members);
    }
}
