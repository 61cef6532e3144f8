using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.ExceptionServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Poolhouse.Extensions.Registration;
using Poolhouse.Servers.Internal;

namespace Poolhouse.Extensions.Hosting;

/// <summary>
/// Creates and warms up the pools before the services of the host start, among them its server, and drains them after these
/// services have stopped.
/// </summary>
internal sealed class PoolLifecycle(PoolRegistry pools, IServiceProvider services) : IHostedLifecycleService, IDisposable
{
    private readonly TimeProvider _time = services.GetService<TimeProvider>() ?? TimeProvider.System;
    private readonly CancellationTokenSource _stopping = new();
    private List<PoolHandle> _created = [];
    private Task _background = Task.CompletedTask;
    private SizeSampler? _sampler;

    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        CreateAll();
        var stopping = _stopping.Token;

        // On the thread pool, because the warm-up of a kind that others have written may block.
        _background = Task.WhenAll(_created.Where(handle => handle.Registration.WarmUp?.Mode == WarmUpMode.Background)
            .Select(handle => Task.Run(
                () => WarmUpAsync(handle, handle.Registration.WarmUp!, stopping), CancellationToken.None)));
        await Task.WhenAll(_created.Where(handle => handle.Registration.WarmUp is { Mode: not WarmUpMode.Background })
            .Select(handle => WarmUpAsync(handle, handle.Registration.WarmUp!, cancellationToken))).ConfigureAwait(false);
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken)
    {
        _sampler = new SizeSampler(_created, _time);
        return Task.CompletedTask;
    }

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        await _stopping.CancelAsync().ConfigureAwait(false);

        // A warm-up that failed does not prevent the drains; one that ignores its token leaves them no time.
        await _background.WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.WhenAll(_created.Where(handle => handle.Registration.Drain is not null)
            .Select(handle => DrainAsync(handle, handle.Registration.Drain!, cancellationToken))).ConfigureAwait(false);
        _sampler?.Dispose();
    }

    public void Dispose()
    {
        // A host whose start has failed may be disposed of without having been stopped.
        _stopping.Cancel();
        _stopping.Dispose();
        _sampler?.Dispose();
    }

    [SuppressMessage("Design", "CA1031", Justification = "The failures of all pools are reported together.")]
    private void CreateAll()
    {
        var created = new List<PoolHandle>();
        var failures = new List<Exception>();
        foreach (var registration in pools.Registrations)
        {
            try
            {
                created.Add(pools.Resolve(registration));
            }
            catch (Exception e)
            {
                failures.Add(e);
            }
        }

        // Also if others have failed: the host drains these when it stops.
        _created = created;
        if (failures.Count == 1)
        {
            ExceptionDispatchInfo.Throw(failures[0]);
        }

        if (failures.Count > 0)
        {
            throw new AggregateException(
                string.Create(CultureInfo.InvariantCulture, $"{failures.Count} pools could not be created."), failures);
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "Only a mode of the warm-up decides whether a failure matters.")]
    private async Task WarmUpAsync(PoolHandle handle, WarmUpPlan plan, CancellationToken cancellationToken)
    {
        var count = plan.Count;
        if (handle.MaxWarmUp is { } max && count > max)
        {
            handle.Log.WarmUpTooLarge(count, max);
            if (plan.Mode == WarmUpMode.OrFailStart)
            {
                throw new InvalidOperationException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"The warm-up of pool '{handle.Name}' is too large: {count}, at most {max}."));
            }

            count = max;
        }

        var begin = _time.GetTimestamp();
        using var timeout = new TimeLimit(plan.Timeout, _time);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        try
        {
            await handle.WarmUpAsync(count, linked.Token).ConfigureAwait(false);
            handle.Log.WarmedUp(count, _time.GetElapsedTime(begin));
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            if (plan.Mode != WarmUpMode.Background)
            {
                throw;
            }
        }
        catch (Exception e)
        {
            var late = e is OperationCanceledException && timeout.IsCancellationRequested;
            var time = _time.GetElapsedTime(begin);
            handle.Log.WarmUpIncomplete(count, time, late ? "The timeout elapsed." : "A creation failed.", late ? null : e);
            if (plan.Mode != WarmUpMode.OrFailStart)
            {
                return;
            }

            if (late)
            {
                throw new TimeoutException(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"Pool '{handle.Name}' did not create {count} items within {plan.Timeout.TotalSeconds} s, and is " +
                        $"set to fail the start."),
                    e);
            }

            throw;
        }
    }

    private async Task DrainAsync(PoolHandle handle, DrainPlan plan, CancellationToken cancellationToken)
    {
        var begin = _time.GetTimestamp();
        using var timeout = new TimeLimit(plan.Timeout, _time);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        try
        {
            await handle.DrainAsync(linked.Token).ConfigureAwait(false);
            handle.Log.Drained(_time.GetElapsedTime(begin));
        }
        catch (OperationCanceledException)
        {
            handle.Log.DrainIncomplete(handle.Pool, _time.GetElapsedTime(begin));
        }
    }
}
