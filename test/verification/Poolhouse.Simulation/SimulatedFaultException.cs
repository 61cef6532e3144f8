namespace Poolhouse.Simulation;

/// <summary>What the simulated server throws.</summary>
public sealed class SimulatedFaultException : Exception
{
    public SimulatedFaultException()
    {
    }

    public SimulatedFaultException(string message)
        : base(message)
    {
    }

    public SimulatedFaultException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
