namespace Poolhouse.Http.Extensions;

internal sealed record ShardsRegistration(string Client);
