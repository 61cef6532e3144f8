using System.Globalization;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Soak;

/// <summary>Callers, an administrator who ends their sessions, and what must be true afterwards.</summary>
internal sealed class SoakRun(
    ServerKind kind, PoolApi api, string connectionString, SoakSettings settings, ITestOutputHelper output)
{
    public async Task RunAsync(int maxSize, int callers, FaultProxy? through = null)
    {
        var options = PoolUser.Options(maxSize);
        options.ValidateAfterIdle = TimeSpan.FromMilliseconds(50);
        await using var watch = kind.Watch(connectionString);
        await using var user = new PoolUser(
            api, kind, through is null ? connectionString : kind.At(connectionString, through.Host, through.Port), options);
        await using var sampler = SessionSampler.Start(user, watch);
        var tally = new SoakTally();
        using var ended = new CancellationTokenSource();

        var crowd = Enumerable.Range(0, callers)
            .Select(
                number => user.RunAsync(() => new SoakCaller(user, new Random(settings.Seed + number), tally).CallAsync(ended)))
            .Append(EndSessionsAsync(watch, user, new Random(settings.Seed - 1), tally, ended))
            .Append(EndAsync())
            .ToList();
        await Task.WhenAll(crowd).WaitAsync(settings.Duration + 2 * Patience.Limit, TestContext.Current.CancellationToken);
        await user.AssertNothingLeakedAsync(watch);
        await sampler.StopAsync();

        output.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{tally}; {sampler.Samples} samples, at most {sampler.Most} sessions; {user.Statistics.Created} created"));
        Assert.True(sampler.Violations.Count == 0, string.Join(Environment.NewLine, sampler.Violations));
        Assert.InRange(sampler.Samples, 10, int.MaxValue);
        Assert.InRange(sampler.Most, maxSize, long.MaxValue);
        Assert.All(user.ErrorsOfSessions, session => Assert.Equal(1, session.Value));
        Assert.InRange(tally.Answered, callers, long.MaxValue);
        Assert.InRange(tally.GivenUp, 1, long.MaxValue);
        Assert.InRange(tally.Ended, 1, long.MaxValue);
        Assert.InRange(tally.Failed, 0, tally.Ended + user.Statistics.CreateFailures);

        // However little happens in the time on a busy machine, the run is long enough to tell something.
        async Task EndAsync()
        {
            try
            {
#pragma warning disable RS0030 // A run that lasts at least for a given time.
                await Task.Delay(settings.Duration, ended.Token);
#pragma warning restore RS0030
                await Patience.UntilAsync(
                    () => ValueTask.FromResult((sampler.Samples, sampler.Most, tally.Answered, tally.GivenUp, tally.Ended)),
                    seen => ended.IsCancellationRequested || (seen.Samples >= 10 && seen.Most >= maxSize
                        && seen.Answered >= callers && seen.GivenUp >= 1 && seen.Ended >= 1),
                    "enough samples, callers and lost sessions");
            }
            catch (OperationCanceledException)
            {
                // Another task has ended the run.
            }
            finally
            {
                await ended.CancelAsync();
            }
        }
    }

    private static async Task EndSessionsAsync(
        ISessionWatch watch, PoolUser user, Random random, SoakTally tally, CancellationTokenSource ended)
    {
        try
        {
            while (!ended.IsCancellationRequested)
            {
#pragma warning disable RS0030 // Random moments of a run that lasts for a given time.
                await Task.Delay(TimeSpan.FromMilliseconds(100 + random.Next(400)), CancellationToken.None);
#pragma warning restore RS0030
                tally.CountEnded(await watch.TerminateAsync(user.SessionName, atMost: 1));
            }
        }
        catch
        {
            await ended.CancelAsync();
            throw;
        }
    }
}
