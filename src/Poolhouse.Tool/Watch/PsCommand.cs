using System.CommandLine;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Poolhouse.Tool.Cli;
using Spectre.Console;

namespace Poolhouse.Tool.Watch;

/// <summary>The command <c>ps</c>: lists the processes that have pools.</summary>
internal sealed class PsCommand : Command
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(5);

    // The events of one picture are delivered with those of the next.
    private static readonly TimeSpan _interval = TimeSpan.FromSeconds(0.25);

    public PsCommand(IAnsiConsole console)
        : base("ps", "List the .NET processes on this machine that have pools.") =>
        SetAction((_, cancellation) => RunAsync(console, cancellation));

    /// <summary>The processes that have pools, each with what is known of them.</summary>
    public static async Task<IReadOnlyList<(int Pid, WatchModel Model)>> FindAsync(CancellationToken cancellation)
    {
        // One process that does not answer must not delay the others: the end of its session blocks a thread.
        var pids = Targets.List();
        ThreadPool.GetMinThreads(out var threads, out var ports);
        ThreadPool.SetMinThreads(Math.Max(threads, pids.Count + 1), ports);
        var found = await Task.WhenAll(pids.Select(async pid =>
        {
            var model = new WatchModel();
            return (Pid: pid, Model: model, HasPools: await LookAsync(pid, model, cancellation).ConfigureAwait(false));
        })).ConfigureAwait(false);
        return [.. found.Where(each => each.HasPools).Select(each => (each.Pid, each.Model))];
    }

    private static async Task<int> RunAsync(IAnsiConsole console, CancellationToken cancellation)
    {
        var found = await FindAsync(cancellation).ConfigureAwait(false);
        foreach (var (pid, model) in found)
        {
            var pools = model.Diagnose();
            var worst = pools.Where(each => each.Rule != Rule.None).Take(1)
                .Select(each => $"{each.Verdict} ({Printable.Of(each.Pool.Name)})");
            console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{pid,8}  {Printable.Of(Targets.NameOf(pid)),-24}  {pools.Count,3} pools  {worst.FirstOrDefault("ok")}"));
        }

        if (found.Count == 0)
        {
            console.WriteLine("No .NET process that this user may inspect has pools of Poolhouse.");
        }

        return ExitCode.Success;
    }

    [SuppressMessage("Design", "CA1031", Justification = "A process that has ended or refuses is not listed.")]
    private static async Task<bool> LookAsync(int pid, WatchModel model, CancellationToken cancellation)
    {
        try
        {
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
            limit.CancelAfter(_patience);
            var changed = model.WhenChangedAsync();
            using var session = await PoolSessions
                .StartAsync(new DiagnosticsClient(pid), model, _interval, detail: null, limit.Token)
                .ConfigureAwait(false);
            await changed.WaitAsync(limit.Token).ConfigureAwait(false);
            return model.Diagnose().Count > 0;
        }
        catch (Exception) when (!cancellation.IsCancellationRequested)
        {
            return false;
        }
    }
}
