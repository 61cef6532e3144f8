using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Poolhouse.Http.Extensions;

/// <summary>
/// Creates the sharded handlers before the services of the host start, so that invalid settings prevent the start.
/// </summary>
internal sealed class ShardsStart(IEnumerable<ShardsRegistration> registrations, IServiceProvider services)
    : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken)
    {
        foreach (var registration in registrations)
        {
            services.GetRequiredKeyedService<ShardedHandler>(registration.Client);
        }

        return Task.CompletedTask;
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
