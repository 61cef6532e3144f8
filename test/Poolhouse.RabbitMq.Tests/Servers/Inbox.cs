using System.Text;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Poolhouse.RabbitMq.Tests.Servers;

/// <summary>A queue, looked at over connections that are no pool's.</summary>
public sealed class Inbox(ConnectionFactory factory, string name)
{
    public string Name => name;

    public async Task DeclareAsync()
    {
        await using var connection = await factory.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.QueueDeclareAsync(name, durable: false, exclusive: false, autoDelete: false);
    }

    /// <summary>How many messages are in the queue.</summary>
    public async Task<int> CountAsync()
    {
        await using var connection = await factory.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        return (int)await channel.MessageCountAsync(name);
    }

    /// <summary>Deletes the queue.</summary>
    /// <returns>How many messages it had.</returns>
    public async Task<int> DeleteAsync()
    {
        await using var connection = await factory.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        return (int)await channel.QueueDeleteAsync(name);
    }

    /// <summary>Takes everything out of the queue, and deletes it.</summary>
    public async Task<IReadOnlyList<string>> EmptyAsync()
    {
        await using var connection = await factory.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        var messages = new List<string>();
        var count = await channel.MessageCountAsync(name);
        if (count > 0)
        {
            // Pushed by the server: asking for each message would take longer than publishing it.
            var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var consumer = new AsyncEventingBasicConsumer(channel);
            consumer.ReceivedAsync += (_, message) =>
            {
                messages.Add(Encoding.UTF8.GetString(message.Body.Span));
                if (messages.Count == count)
                {
                    all.SetResult();
                }

                return Task.CompletedTask;
            };
            await channel.BasicConsumeAsync(name, autoAck: true, consumer);
            await all.Task;
        }

        await channel.QueueDeleteAsync(name);
        return messages;
    }
}
