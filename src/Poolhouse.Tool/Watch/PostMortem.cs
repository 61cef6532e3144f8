using System.Diagnostics.CodeAnalysis;
using Poolhouse.Tool.Watch.Screens;

namespace Poolhouse.Tool.Watch;

/// <summary>Shows a recorded trace: each pool at its worst moment.</summary>
internal sealed class PostMortem(string path)
{
    // The reader keeps little of a trace. A wrong number in a damaged one makes it allocate gigabytes.
    private const long MostMemory = 512L * 1024 * 1024;

    // A trace of an hour takes seconds. A damaged one may never end.
    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(2);

    /// <exception cref="UsageException">The file is not a trace, or has no pictures of pools.</exception>
    public async Task ShowAsync(WatchOutput output, CancellationToken cancellation)
    {
        var model = new WatchModel();
        var complete = await ReadAsync(model, cancellation).ConfigureAwait(false);
        var name = Path.GetFileName(path);
        if (model.Pictures == 0)
        {
            throw new UsageException(complete
                ? $"'{name}' has no events of Poolhouse. Record it with the provider 'Poolhouse:3:4:Interval=2'."
                : $"'{name}' is not a trace, or it is damaged before the first picture of the pools.");
        }

        if (model.IsTooOld)
        {
            throw new UsageException(Targets.TooOld($"The process of '{name}'", model.Version));
        }

        output.ShowWorst($"{name}: the worst moment of each pool in {Units.Count(model.Pictures)} pictures", model);
        if (!complete)
        {
            output.Say("The rest of the trace is damaged or missing.");
        }
    }

    /// <returns>False if the trace is damaged.</returns>
    [SuppressMessage("Design", "CA1031", Justification = "What a damaged trace makes the reader throw is not documented.")]
    private async Task<bool> ReadAsync(WatchModel model, CancellationToken cancellation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(_longest);
        using var heap = new HeapLimit(MostMemory);
        try
        {
            var reading = Task.Factory.StartNew(
                () =>
                {
                    using var file = File.OpenRead(path);
                    TraceReader.Read(file, model, limit.Token);
                },
                CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
            await reading.WaitAsync(limit.Token).ConfigureAwait(false);
            return true;
        }
        catch (Exception) when (!cancellation.IsCancellationRequested)
        {
            return false;
        }
    }
}
