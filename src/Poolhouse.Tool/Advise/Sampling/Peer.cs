namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>An address that the process connects to.</summary>
/// <param name="Address">The address, without the port.</param>
/// <param name="Port">The port.</param>
/// <param name="Connections">The connections that were opened.</param>
/// <param name="IsNative">Whether they were opened by native code, which reports no events.</param>
/// <param name="Method">The method of the application that opens them; empty if it is not known.</param>
internal sealed record Peer(string Address, int Port, Occurrences Connections, bool IsNative, string Method);
