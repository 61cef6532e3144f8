using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using Poolhouse.Benchmarks.Bars;
using Poolhouse.Benchmarks.Experiments;

// Without arguments BenchmarkDotNet asks which benchmark to run; `--bars` is the short interleaved run behind eng/bars.sh.
if (args is ["--bars", .. var rest])
{
    return BarRun.Run(rest);
}

if (args is ["--shared-cores"])
{
    return SharedCores.Run();
}

if (args is ["--cold-start"])
{
    return ColdStart.Run();
}

// In this process, because ours and the rival are to meet the same machine in the same minute.
var job = Job.MediumRun.WithToolchain(InProcessEmitToolchain.Instance);
BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args, DefaultConfig.Instance.AddJob(job));
return 0;
