using Poolhouse;
using Poolhouse.Samples.SmtpPool;

using var server = new SmtpServer();

await using var pool = new ResourcePool<SmtpSession>(
    new SmtpPolicy(server.EndPoint),
    new ResourcePoolOptions { MaxSize = 3, Name = "mail", KeepAliveInterval = TimeSpan.FromMinutes(1) });

await pool.WarmUpAsync(3);

await Task.WhenAll(Enumerable.Range(1, 12).Select(SendAsync));
Console.WriteLine($"{server.Mails.Count} mails over {server.Count("EHLO")} sessions.");

try
{
    await SendToAsync("nobody@example.org", "Is anybody there?");
}
catch (SmtpRefusedException refused)
{
    Console.WriteLine($"Refused: {refused.Message}.");
}

await SendToAsync("ada@example.org", ".\n.. a dot alone would end the mail");
Console.WriteLine($"{server.Mails.Count} mails, still {server.Count("EHLO")} sessions.");

await pool.DrainAsync();
Console.WriteLine($"{server.Count("RSET")} resets, {server.Count("QUIT")} sessions said goodbye.");

Task SendAsync(int number) => SendToAsync($"reader{number}@example.org", $"Number {number}");

async Task SendToAsync(string address, string text) =>
    await pool.UseAsync(
        async (session, token) =>
        {
            await session.SendAsync(new Mail("pool@example.org", address, "Hello", text), token);
            return true;
        });
