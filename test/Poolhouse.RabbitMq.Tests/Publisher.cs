using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Poolhouse.RabbitMq.Tests;

/// <summary>Callers that publish through a pool, and remember what the broker confirmed.</summary>
internal sealed class Publisher(NestedResourcePool<IConnection, IChannel> pool, string queue)
{
    private readonly ConcurrentBag<string> _confirmed = [];
    private int _failures;

    public IReadOnlyCollection<string> Confirmed => _confirmed;

    /// <summary>Attempts that failed, and were made again.</summary>
    public int Failures => Volatile.Read(ref _failures);

    public Task PublishAsync(int publishers, int messages, CancellationToken cancellationToken) => Task.WhenAll(
        Enumerable.Range(1, publishers).Select(async publisher =>
        {
            for (var number = 1; number <= messages; number++)
            {
                await PublishAsync(string.Create(CultureInfo.InvariantCulture, $"{publisher}/{number}"), cancellationToken);
            }
        }));

    /// <summary>Until the test stops it.</summary>
    public Task PublishUntilAsync(int publishers, Func<bool> enough, CancellationToken cancellationToken) => Task.WhenAll(
        Enumerable.Range(1, publishers).Select(async publisher =>
        {
            for (var number = 1; !enough(); number++)
            {
                await PublishAsync(string.Create(CultureInfo.InvariantCulture, $"{publisher}/{number}"), cancellationToken);
            }
        }));

    private async Task PublishAsync(string message, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                await using var lease = await pool.RentAsync(cancellationToken);
                try
                {
                    await lease.Value.BasicPublishAsync(
                        string.Empty, queue, mandatory: true, Encoding.UTF8.GetBytes(message), cancellationToken);
                    _confirmed.Add(message);
                    return;
                }
                catch
                {
                    lease.Taint();
                    throw;
                }
            }
            catch (Exception failure) when (IsOfTheConnection(failure))
            {
                Interlocked.Increment(ref _failures);
            }
        }
    }

    private static bool IsOfTheConnection(Exception failure) => failure
        is OperationInterruptedException or PublishException or BrokerUnreachableException or IOException
        or ObjectDisposedException
        || (failure is OperationCanceledException && !TestContext.Current.CancellationToken.IsCancellationRequested);
}
