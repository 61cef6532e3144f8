using System.Data.Common;
using Poolhouse.Data.Budgets;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Counts the sessions of a user at the server, 25 times a second, with an account of its own.</summary>
internal sealed class FleetJudge : IAsyncDisposable
{
    private static readonly TimeSpan _interval = TimeSpan.FromMilliseconds(40);

    private readonly DbConnection _connection;
    private readonly string _query;
    private readonly CancellationTokenSource _end = new();
    private readonly List<Sample> _samples = [];
    private readonly Task _watching;

    private FleetJudge(DbConnection connection, string query)
    {
        (_connection, _query) = (connection, query);
        _watching = Task.Run(WatchAsync);
    }

    /// <param name="factory">The provider.</param>
    /// <param name="connectionString">An account that sees all sessions.</param>
    /// <param name="query">Returns, for each kind of session, a text that contains its name, and their number.</param>
    public static async Task<FleetJudge> StartAsync(DbProviderFactory factory, string connectionString, string query)
    {
        var connection = factory.CreateConnection()!;
        connection.ConnectionString = connectionString;
        await connection.OpenAsync(TestContext.Current.CancellationToken);
        return new FleetJudge(connection, query);
    }

    /// <summary>The largest number of sessions in any sample.</summary>
    public int Most => Samples.Max(static sample => sample.Total);

    public int Count => Samples.Count;

    /// <summary>The sessions in the newest sample.</summary>
    public int Last => Samples[^1].Total;

    /// <summary>The members in the newest sample.</summary>
    public IReadOnlyDictionary<string, int> Members => Samples[^1].Members;

    /// <summary>
    /// How fair the members share what they hold, on average over those of the newest samples that show them: 1 if all hold the
    /// same (R. Jain, D. Chiu, W. Hawe, <i>A Quantitative Measure of Fairness</i>, 1984).
    /// </summary>
    public double FairnessOf(int samples)
    {
        var means = MeansOf(samples).Select(static member => member.Mean).ToList();
        return Math.Pow(means.Sum(), 2) / (means.Count * means.Sum(static mean => mean * mean));
    }

    /// <summary>What each member holds on average over those of the newest samples that show it.</summary>
    public string Describe(int samples) => string.Join(
        ", ", MeansOf(samples).Select(static member => FormattableString.Invariant($"{member.Name}: {member.Mean:0.00}")));

    public async Task WaitAsync(int samples)
    {
        var until = Count + samples;
        await Patience.UntilAsync(() => ValueTask.FromResult(Count), count => count >= until, $"{samples} samples");
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _watching;
        await _connection.DisposeAsync();
        _end.Dispose();
    }

    private IEnumerable<(string Name, double Mean)> MeansOf(int samples) =>
        Samples.TakeLast(samples).SelectMany(static sample => sample.Members)
            .GroupBy(
                static member => member.Key, static member => (double)member.Value,
                static (name, held) => (name, held.Average()), StringComparer.Ordinal);

    private List<Sample> Samples
    {
        get
        {
            lock (_samples)
            {
                return [.. _samples];
            }
        }
    }

    private async Task WatchAsync()
    {
        using var timer = new PeriodicTimer(_interval);
        while (!_end.IsCancellationRequested)
        {
            var members = new Dictionary<string, int>(StringComparer.Ordinal);
            var total = 0;
            await using (var command = _connection.CreateCommand())
            {
                command.CommandText = _query;
                await using var reader = await command.ExecuteReaderAsync(CancellationToken.None);
                while (await reader.ReadAsync(CancellationToken.None))
                {
                    var sessions = Convert.ToInt32(reader.GetValue(1), null);
                    total += sessions;
                    if (!reader.IsDBNull(0) && SessionName.TryRead(reader.GetString(0), "orders", out var member, out var claim))
                    {
                        members[member] = members.GetValueOrDefault(member) + (claim?.Held ?? sessions);
                    }
                }
            }

            lock (_samples)
            {
                _samples.Add(new Sample(total, members));
            }

            try
            {
                await timer.WaitForNextTickAsync(_end.Token);
            }
            catch (OperationCanceledException)
            {
                return;
            }
        }
    }

    private sealed record Sample(int Total, IReadOnlyDictionary<string, int> Members);
}
