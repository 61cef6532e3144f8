using System.Net;
using System.Net.Sockets;

namespace Poolhouse.Ldap.Tests.Servers;

/// <summary>Answers every request with "unavailable" (52), like a proxy whose own servers are down.</summary>
internal sealed class UnavailableServer : IAsyncDisposable
{
    private const byte Bind = 0x60;
    private const byte Search = 0x63;
    private const byte Extended = 0x77;
    private const byte Success = 0;
    private const byte Unavailable = 52;

    private readonly CancellationTokenSource _stopping = new();
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly bool _acceptsBinds;
    private readonly Task _serving;

    public UnavailableServer(bool acceptsBinds)
    {
        _acceptsBinds = acceptsBinds;
        _listener.Start();
        _serving = ServeAsync();
    }

    public string Address => _listener.LocalEndpoint.ToString()!;

    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync();
        await _serving.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _listener.Dispose();
        _stopping.Dispose();
    }

    private async Task ServeAsync()
    {
        while (true)
        {
            using var client = await _listener.AcceptTcpClientAsync(_stopping.Token);
            var stream = client.GetStream();
            var message = new byte[1_000];
            while (await stream.ReadAsync(message, _stopping.Token) > 0)
            {
                // A sequence of the number of the message (three bytes) and the operation, each with a length of one byte.
                var operation = message[5];
                if (operation is Bind or Search or Extended)
                {
                    var code = _acceptsBinds && operation == Bind ? Success : Unavailable;
                    var answer = (byte)(operation == Search ? Search + 2 : operation + 1);
                    await stream.WriteAsync(
                        (byte[])[0x30, 12, .. message.AsSpan(2, 3), answer, 7, 0x0A, 1, code, 4, 0, 4, 0], _stopping.Token);
                }
            }
        }
    }
}
