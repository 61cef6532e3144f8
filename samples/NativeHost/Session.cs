namespace Poolhouse.Samples.NativeHost;

internal sealed class Session;
